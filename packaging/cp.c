// SPDX-License-Identifier: Apache-2.0
// /bin/cp of the container image, which has no other program: cp [-r] SOURCE... TARGET. Init containers copy
// the image's files into a volume with it; OpenTelemetry's operator calls it with -r. It ends at the first
// failure.
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static void copy(const char *from, const char *to)
{
    struct stat status;
    char inner_from[PATH_MAX], inner_to[PATH_MAX];
    int source = open(from, O_RDONLY), target;
    ssize_t sent;
    if (source < 0 || fstat(source, &status) != 0)
        err(1, "%s", from);
    if (S_ISDIR(status.st_mode)) {
        DIR *folder = fdopendir(source);
        if (folder == NULL || (mkdir(to, status.st_mode & 0777) != 0 && errno != EEXIST))
            err(1, "%s", to);
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
            snprintf(inner_from, sizeof inner_from, "%s/%s", from, entry->d_name);
            snprintf(inner_to, sizeof inner_to, "%s/%s", to, entry->d_name);
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                copy(inner_from, inner_to);
        }
        closedir(folder);
        return;
    }
    unlink(to); // replaced, not overwritten: a JVM may have mapped it
    target = open(to, O_WRONLY | O_CREAT | O_EXCL, status.st_mode & 0777);
    while (target >= 0 && (sent = sendfile(target, source, NULL, 1 << 30)) > 0)
        continue;
    if (target < 0 || sent < 0 || close(target) != 0)
        err(1, "%s", to);
    close(source);
}

int main(int count, char **arguments)
{
    int i = count > 1 && strcmp(arguments[1], "-r") == 0 ? 2 : 1;
    struct stat status;
    char to[PATH_MAX], *target = arguments[count - 1];
    if (count - i < 2)
        errx(2, "usage: cp [-r] SOURCE... TARGET");
    int into = stat(target, &status) == 0 && S_ISDIR(status.st_mode);
    for (; i < count - 1; i++) {
        snprintf(to, sizeof to, into ? "%s/%s" : "%s", target, basename(arguments[i]));
        copy(arguments[i], to);
    }
    return 0;
}
