# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2034 # mirror and others are read by those who source this
# Makes one JDK of the matrix out of Debian sid's packages. Sourced.
#
# Debian's newest JDKs need the C library that they were built with. $JDKS/N therefore has
#   root/usr   what the packages put there: the JDK, its libraries, a shell and mount
#   jdk        a Java home: bin/ of wrappers, the rest links into root/usr
#   stamp      written last: the JDK's version and the package's
# A wrapper binds root/usr over /usr and the real JDK over jdk/ in a mount namespace of its own, then becomes
# the program: every other folder stays what and where it is, java.home is jdk/, and the last process to end
# takes the mounts with it. The packages are only unpacked (none of their scripts runs), so root is needed
# only where the kernel asks for it.
. "$TC_ROOT/ci/lib/common.bash"

# What a JVM may start, and what the wrappers of other JDKs need when a JVM of the matrix starts them.
JDKS_TOOLS=(bash dash coreutils mount util-linux)

# apt_private ARGUMENTS: the host's apt with its proxy, certificates and retries, but with sid's list and
# without the host's state.
apt_private() { "$1" -c "$WORK/apt.conf" "${@:2}" </dev/null; }

# debian_mirror CODENAME: where this host gets Debian from; sid lies beside it. The address may contain a
# password, so it is never printed and never kept. The package lists name their source. On a machine that has
# no lists yet, the mirror is recognized by its folder's name.
debian_mirror() {
    # shellcheck disable=SC2016 # apt fills these in
    {
        apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(ORIGIN) $(REPO_URI)' 'Created-By: Packages'
        apt-get update --print-uris |
            sed -nE "s#^'(.*/debian(\.list)?/)dists/([^/]*)/InRelease'.*#\3 main Debian \1#p"
    } 2>/dev/null </dev/null | awk -v codename="$1" '
        ($1 == codename || $1 ~ /^(oldstable|stable|testing|unstable|sid)$/) && $2 == "main" &&
            $3 == "Debian" && !found++ { print $4 }'
}

# find_debian: leaves this host's Debian mirror in $mirror and its release in $codename, or fails with the
# reason in $why.
find_debian() {
    local system
    # shellcheck source=/dev/null
    read -r system codename < <(. /etc/os-release && printf '%s %s\n' "$ID" "${VERSION_CODENAME:-sid}")
    [[ ${system:-} == debian ]] || because "this is ${system:-an unknown system};" \
        "only Debian's apt sources surely name a mirror of Debian" || return
    [[ -L /bin && -L /lib ]] || because "/bin and /lib are no links into /usr here," \
        "so a JDK cannot be given a /usr of its own" || return
    mirror=$(debian_mirror "$codename")
    [[ -n $mirror ]] || because 'the apt sources of this machine name no Debian mirror'
}

# find_namespace: leaves in $unshare the command that makes a private mount namespace here, and in $drop the
# command that gives up the capabilities that a user has in it: a program with root's powers over its own
# files would not be a valid test. Or fails with the reason in $why.
find_namespace() {
    unshare='unshare --mount --propagation private' drop=''
    $unshare mount -n --bind /usr /usr 2>/dev/null && return
    unshare='unshare --user --map-current-user --keep-caps --mount --propagation private'
    drop='setpriv --inh-caps=-all --ambient-caps=-all '
    $unshare mount -n --bind /usr /usr 2>/dev/null ||
        because 'no private mount namespace: it takes root, or a kernel that lets users have namespaces'
}

# prepare_apt: puts package lists into $WORK: sid's for this machine, or those of $suite for $architecture and
# of its sources; or fails with the reason in $why. They are kept there, like the downloads, until everything
# is made.
prepare_apt() {
    local conf arch=${architecture:-$(dpkg --print-architecture)} \
        keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    mkdir -p "$WORK"/{state/lists/partial,cache/archives/partial,none/partial}
    : >"$WORK/state/status"
    [[ -e $keyring ]] && keyring=" signed-by=$keyring" || keyring=''
    (
        umask 077
        printf 'deb [arch=%s target=Packages%s] %s %s main\n' "$arch" "$keyring" "$mirror" "${suite:-sid}"
        [[ -z ${suite:-} ]] || printf 'deb-src [target=Sources%s] %s %s main\n' "$keyring" "$mirror" "$suite"
    ) >"$WORK/sources.list" || because "cannot write in $WORK" || return
    conf=$(<"$TC_ROOT/ci/lib/apt.conf.in") conf=${conf//@WORK@/"$WORK"}
    printf '%s\n' "${conf//@ARCHITECTURE@/"$arch"}" >"$WORK/apt.conf"
    # Lists that are recent belong to the downloads of a killed run.
    [[ -n $(find "$WORK/updated" -mmin -60 2>/dev/null) ]] && return
    { apt_private apt-get -q -o APT::Update::Error-Mode=any update >>"$LOG" 2>&1 && : >"$WORK/updated"; } ||
        because "the package lists of Debian ${suite:-sid} for $arch cannot be had: $(reason_from_log)"
}

# reason_from_log: apt's own words from the last 40 lines of the log, without the address that it used.
reason_from_log() {
    tail -n 40 "$LOG" | sed -n 's/^E: *//p' | tail -n 1 | no_addresses | grep . || printf 'see %s\n' "$LOG"
}

# unpack_packages ROOT PACKAGE...: unpacks packages of the prepared lists and all that they depend on in the
# folder ROOT; or fails with the reason in $why.
unpack_packages() {
    local root=$1 package=$2 files file
    # With an empty archive, --print-uris names every file: 'address' name size hash.
    files=$(apt_private apt-get -qq -o Dir::Cache::Archives="$WORK/none" install --print-uris "${@:2}" \
        2>>"$LOG") || because "apt cannot resolve $package: $(reason_from_log)" || return
    apt_private apt-get -qq -y install --download-only "${@:2}" >>"$LOG" 2>&1 ||
        because "download of $package: $(reason_from_log)" || return
    # These links are as in base-files, on which the other packages rely.
    mkdir -p "$root"/usr/{bin,lib,lib64,sbin,local,src} || because "cannot write in $root" || return
    for file in bin lib lib64 sbin; do ln -s "usr/$file" "$root/$file"; done
    while IFS= read -r file; do
        dpkg-deb --fsys-tarfile "$WORK/cache/archives/$file" |
            tar -xpf - -C "$root" --keep-directory-symlink --no-same-owner \
            --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' 2>>"$LOG"
        [[ ${PIPESTATUS[*]} == '0 0' ]] || because "cannot unpack $file; see $LOG" || return
    done < <(awk '{ print $2 }' <<<"$files")
}

# make_jdk N: makes $JDKS/N, or fails and leaves the reason in $why. After a kill, a second call continues
# from what can be reused.
make_jdk() {
    local n=$1 package=openjdk-$1-jdk-headless version new=$JDKS/.new-$1 real
    version=$(apt_private apt-cache show "$package" 2>/dev/null | sed -n 's/^Version: *//p' | head -n 1)
    [[ -n $version ]] || because "Debian sid has no $package for $(dpkg --print-architecture)" || return
    say "JDK $n: $package $version..."
    rm -rf --one-file-system "$new"
    unpack_packages "$new/root" "$package" "${JDKS_TOOLS[@]}" || return 1

    real=$(cd "$new/root" && echo usr/lib/jvm/java-"$n"-openjdk-*)
    [[ -x $new/root/$real/bin/java ]] ||
        because "$package has no bin/java where it is expected; see $LOG" || return
    settle_files "$new/root" "$new/root/$real"
    make_home "$n" "$new" "$real" || because "cannot write in $JDKS" || return
    rm -rf --one-file-system "${JDKS:?}/$n"
    mv -T "$new" "$JDKS/$n" || because "cannot rename $new" || return
    finish_jdk "$n" "$version"
}

# settle_files ROOT HOME: moves the JDK's configuration, to which it has links to /etc, into the JDK, and
# removes everything outside /usr.
settle_files() {
    local link
    while IFS= read -r -d '' link; do
        [[ ! -e $1$(readlink "$link") ]] || cp -aL --remove-destination -- "$1$(readlink "$link")" "$link"
    done < <(find "$2" -type l -lname '/etc/*' -print0)
    find "$1" -xdev -type f -perm /6000 -exec chmod ug-s {} +
    find "$1" -mindepth 1 -maxdepth 1 ! -name usr -exec rm -rf --one-file-system {} +
}

# make_home N FOLDER HOME-IN-ROOT: makes the Java home that the host sees. JDK 8 has a second one in it, jre/,
# which is made first, because what exists is not linked to.
make_home() {
    local n=$1 new=$2 real=$3 inner from to entry
    for inner in jre/ ''; do
        from=$new/root/$real/$inner to=$new/jdk/$inner
        [[ -d ${from}bin ]] || continue
        mkdir -p "${to}bin" || return 1
        for entry in "$from"bin/*; do
            wrapper "$JDKS/$n" "$real" "${inner}bin/${entry##*/}" >"${to}bin/${entry##*/}" || return 1
            chmod 755 "${to}bin/${entry##*/}"
        done
        for entry in "$from"*; do
            [[ -d $to${entry##*/} ]] || ln -s "$JDKS/$n/root/$real/$inner${entry##*/}" "$to${entry##*/}" ||
                return 1
        done
    done
}

# wrapper FOLDER HOME-IN-ROOT PROGRAM: writes a script that becomes the program. It uses Bash, because sh
# drops variables like a.b=c. /usr/local and /usr/src are the host's, because a checkout or a program may be
# there. /usr comes last, because it replaces mount.
wrapper() {
    local folder=$1 real=$2 program=$3
    cat <<END
#!/bin/bash
# $program in its own /usr, by threadclock's ci/jdks
exec $unshare /bin/bash -c '
    for folder in /usr/local /usr/src; do
        [[ ! -d \$folder ]] || mount -n --rbind "\$folder" "\$0/root\$folder" || exit 1
    done
    mount -n --bind "\$0/root/$real" "\$0/jdk" && mount -n --rbind "\$0/root/usr" /usr || exit 1
    exec $drop"\$0/jdk/$program" "\$@"' $(printf %q "$folder") "\$@"
END
}

# finish_jdk N PACKAGE-VERSION: does what the package's scripts would have done, a first run, and the stamp.
finish_jdk() {
    local n=$1 java=$JDKS/$1/jdk/bin/java version
    # The archive of preloaded classes. Without it the JVM starts more slowly but is otherwise the same.
    [[ -n $(find "$JDKS/$n/root/usr/lib/jvm" -name classes.jsa -print -quit) ]] ||
        "$java" -Xshare:dump </dev/null >>"$LOG" 2>&1 ||
        printf 'JDK %s: no class data archive\n' "$n" >>"$LOG"
    version=$("$java" -XshowSettings:properties -version 2>&1 </dev/null | tee -a "$LOG" |
        sed -n 's/^ *java\.runtime\.version = //p')
    [[ -n $version ]] || because "it does not run: $(tail -n 1 "$LOG")" || return
    printf '%s\t%s\n' "$version" "$2" >"$JDKS/$n/stamp.new"
    mv "$JDKS/$n/stamp.new" "$JDKS/$n/stamp"
}
