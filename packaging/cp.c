/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /bin/cp of the container image, which has no other program: cp [-r] SOURCE... TARGET. Init containers copy
 * the image's files into a volume with it; OpenTelemetry's operator calls it with -r. Folders are copied
 * with or without -r. It ends at the first failure.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static void join(char path[PATH_MAX], const char *folder, const char *name)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        errx(1, "%s/%s: File name too long", folder, name);
}

/* A file is replaced when its copy is whole: a JVM may have mapped it, or start meanwhile. */
static void copy_file(int source, mode_t mode, const char *to)
{
    char part[PATH_MAX];
    ssize_t sent = 0;
    if (snprintf(part, sizeof part, "%s.part", to) >= PATH_MAX)
        errx(1, "%s: File name too long", to);
    unlink(part);
    int target = open(part, O_WRONLY | O_CREAT | O_EXCL, mode);
    while (target >= 0 && (sent = sendfile(target, source, NULL, 1 << 30)) > 0)
        continue;
    if (target < 0 || sent < 0 || close(target) != 0 || rename(part, to) != 0)
        err(1, "%s", to);
}

static void copy(const char *from, const char *to)
{
    struct stat status;
    char inner_from[PATH_MAX], inner_to[PATH_MAX];
    int source = open(from, O_RDONLY);
    if (source < 0 || fstat(source, &status) != 0)
        err(1, "%s", from);
    if (!S_ISDIR(status.st_mode)) {
        copy_file(source, status.st_mode & 0777, to);
        close(source);
        return;
    }
    struct dirent **entries;
    int count = scandir(from, &entries, NULL, alphasort);
    if (count < 0)
        err(1, "%s", from);
    if (mkdir(to, status.st_mode & 0777) != 0 && errno != EEXIST)
        err(1, "%s", to);
    for (int i = 0; i < count; i++) {
        join(inner_from, from, entries[i]->d_name);
        join(inner_to, to, entries[i]->d_name);
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0)
            copy(inner_from, inner_to);
    }
    close(source);
}

int main(int count, char **arguments)
{
    int first = count > 1 && strcmp(arguments[1], "-r") == 0 ? 2 : 1, last = count - 1;
    struct stat status;
    char to[PATH_MAX];
    if (last - first < 1)
        errx(2, "usage: cp [-r] SOURCE... TARGET");
    bool into = stat(arguments[last], &status) == 0 && S_ISDIR(status.st_mode);
    if (!into && last - first > 1)
        errx(1, "%s: Not a directory", arguments[last]);
    for (int i = first; i < last; i++) {
        if (into)
            join(to, arguments[last], basename(arguments[i]));
        copy(arguments[i], into ? to : arguments[last]);
    }
    return 0;
}
