/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the control groups, of version 1 or 2, that may limit the process, and reads the tightest. */
#include "throttling.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { PLACES_MAX = 16, PATH_BYTES = 4096, FILE_NAME_BYTES = 32 };

/* A folder that represents a group, and the length of its mount's name: the groups between count as well. */
struct tc_cgroup_place {
    char folder[PATH_BYTES];
    size_t mount_length;
    bool is_version2;
};

/* The CPU limit of a group, quota in each period (period 0: none), and how often it was reached. */
struct limit {
    uint64_t quota, period;
    int64_t throttled_periods, throttled_ns;
};

/* The text of a file; null: it cannot be read, or is too long. To be freed. */
static char *text_of(const char *path)
{
    enum { TEXT_MIN = 4096, TEXT_MAX = 1 << 20 };
    long file = tc_syscall4(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0), got = -1;
    char *text = NULL;
    size_t length = 0, size = 0;
    while (file >= 0 && length < TEXT_MAX) {
        if (size - length < TEXT_MIN) {
            char *grown = realloc(text, size = 2 * size + TEXT_MIN);
            if (grown == NULL)
                break;
            text = grown;
        }
        got = tc_syscall4(SYS_read, file, (long)(text + length), (long)(size - length - 1), 0);
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    if (file >= 0)
        tc_syscall4(SYS_close, file, 0, 0, 0);
    if (got == 0) {
        text[length] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* True for one of these names, which are separated by commas. */
static bool has_cpu(const char *controllers, size_t length)
{
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && controllers[end] != ',')
            end++;
        if (end - at == 3 && memcmp(controllers + at, "cpu", 3) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

/* Splits a line in place into at most this many words, the last of which ends with the line. Their number. */
static size_t split(char *line, char separator, char *words[], size_t most)
{
    size_t count = 0;
    while (count < most) {
        words[count++] = line;
        char *end = count < most ? strchr(line, separator) : NULL;
        if (end == NULL)
            break;
        *end = '\0';
        line = end + 1;
    }
    return count;
}

/* The group's path in "0::/a/b" of version 2, "4:cpu,cpuacct:/a/b" of version 1; its length. 0: none. */
static size_t group_in(const char *groups, bool version2, const char **path)
{
    for (const char *line = groups; *line != '\0';) {
        size_t length = strcspn(line, "\n"), number = strcspn(line, ":");
        const char *controllers = line + number + 1;
        if (number < length) {
            size_t of_controllers = strcspn(controllers, ":");
            *path = controllers + of_controllers + 1;
            bool is_it = version2 ? number == 1 && line[0] == '0' && of_controllers == 0
                                  : has_cpu(controllers, of_controllers);
            if (is_it && controllers + of_controllers < line + length)
                return (size_t)(line + length - *path);
        }
        line += length + (line[length] == '\n');
    }
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return tc_syscall4(SYS_newfstatat, AT_FDCWD, (long)path, (long)&status, 0) == 0
           && S_ISDIR(status.st_mode);
}

/* How many times a path begins with "/..". */
static size_t ups_of(const char *path, size_t length)
{
    size_t ups = 0;
    while (3 * ups + 3 <= length && memcmp(path + 3 * ups, "/..", 3) == 0)
        ups++;
    return ups;
}

/*
 * Seen from a namespace of control groups, a mount of the whole hierarchy is "/../.." and a group outside
 * "/../b/c", without the names in between: the group is the only one that has this path at this depth.
 */
static bool find_outside(struct tc_cgroup_place *place, const char *mount, size_t depth, const char *group,
                         size_t length)
{
    glob_t found = {.gl_pathc = 0};
    size_t of_mount = strlen(mount), size = of_mount + 2 * depth + length;
    char pattern[PATH_BYTES];
    if (size + FILE_NAME_BYTES > sizeof pattern || strpbrk(mount, "*?[\\") != NULL)
        return false;
    memcpy(pattern, mount, of_mount);
    for (size_t i = 0; i < depth; i++)
        memcpy(pattern + of_mount + 2 * i, "/*", 2);
    memcpy(pattern + size - length, group, length);
    pattern[size] = '\0';
    bool is_plain = strpbrk(pattern + size - length, "*?[\\") == NULL;
    bool is_found = is_plain && glob(pattern, GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc == 1
                    && strlen(found.gl_pathv[0]) + FILE_NAME_BYTES <= sizeof place->folder;
    if (is_found)
        strcpy(place->folder, found.gl_pathv[0]);
    globfree(&found);
    return is_found && is_folder(place->folder);
}

/*
 * In a container the mount may cover only part of the hierarchy, with the group itself at its top. A group
 * outside of it, which the kernel shows as "/../a", is represented by the top as well, unless it is another
 * process's: then it has no place.
 */
static bool find_place(struct tc_cgroup_place *place, const char *mount, const char *shown, const char *group,
                       size_t length, bool version2, bool of_another)
{
    size_t of_shown = strcmp(shown, "/") != 0 ? strlen(shown) : 0, of_mount = strlen(mount);
    size_t ups = ups_of(shown, of_shown), group_ups = ups_of(group, length);
    if (of_another && ups > 0) {
        place->mount_length = of_mount;
        place->is_version2 = version2;
        return group_ups <= ups
               && find_outside(place, mount, ups - group_ups, group + 3 * group_ups, length - 3 * group_ups);
    }
    bool is_inside = of_shown <= length && strncmp(group, shown, of_shown) == 0;
    if (is_inside) {
        group += of_shown;
        length -= of_shown;
    }
    while (length > 0 && *group == '/') {
        group++;
        length--;
    }
    if (of_mount + 1 + length + FILE_NAME_BYTES > sizeof place->folder)
        return false;
    memcpy(place->folder, mount, of_mount + 1);
    place->mount_length = of_mount;
    place->is_version2 = version2;
    if (length == 0)
        return !of_another || is_inside || of_shown == 0;
    place->folder[of_mount] = '/';
    memcpy(place->folder + of_mount + 1, group, length);
    place->folder[of_mount + 1 + length] = '\0';
    if (strstr(place->folder + of_mount, "/..") != NULL || !is_folder(place->folder))
        place->folder[of_mount] = '\0';
    return !of_another || place->folder[of_mount] != '\0';
}

/* From the lines of /proc/self/mountinfo (proc(5)), which are changed. */
static size_t find_places(const char *groups, char *mounts, bool of_another,
                          struct tc_cgroup_place places[PLACES_MAX])
{
    enum { ROOT = 3, MOUNT = 4, FIELDS = 6, TYPE = 0, OPTIONS = 2, AFTER = 3 };
    size_t count = 0;
    for (char *next = mounts, *line; count < PLACES_MAX && (line = strsep(&next, "\n")) != NULL;) {
        char *after = strstr(line, " - "), *before_fields[FIELDS], *after_fields[AFTER];
        const char *group;
        if (after == NULL || split(after + 3, ' ', after_fields, AFTER) < AFTER)
            continue;
        *after = '\0';
        bool version2 = strcmp(after_fields[TYPE], "cgroup2") == 0;
        if (!version2 && (strcmp(after_fields[TYPE], "cgroup") != 0
                          || !has_cpu(after_fields[OPTIONS], strlen(after_fields[OPTIONS]))))
            continue;
        if (split(line, ' ', before_fields, FIELDS) <= MOUNT)
            continue;
        size_t length = group_in(groups, version2, &group);
        if (length > 0)
            count += find_place(&places[count], before_fields[MOUNT], before_fields[ROOT], group, length,
                                version2, of_another);
    }
    return count;
}

/* A number to the end of the text; false: it is none. */
static bool parse(const char *text, size_t length, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(*number, 10, number)
            || __builtin_add_overflow(*number, (uint64_t)(text[i] - '0'), number))
            return false;
    return length > 0 && *number <= INT64_MAX;
}

/* Lines "nr_throttled 12". False: a count is no number. */
static bool parse_stat(const char *stat, struct limit *limit)
{
    uint64_t count;
    for (const char *line = stat; *line != '\0';) {
        size_t length = strcspn(line, "\n"), name = strcspn(line, " \n"), value = length - name - 1;
        if (name < length && memchr(line + name + 1, ' ', value) == NULL) {
            if (!parse(line + name + 1, value, &count))
                return false;
            if (name == 12 && memcmp(line, "nr_throttled", name) == 0)
                limit->throttled_periods = (int64_t)count;
            if (name == 14 && memcmp(line, "throttled_time", name) == 0)
                limit->throttled_ns = (int64_t)count;
            if (name == 14 && memcmp(line, "throttled_usec", name) == 0)
                limit->throttled_ns = (int64_t)(count * 1000);
        }
        line += length + (line[length] == '\n');
    }
    return true;
}

/* Quota and period, "" for a missing file; "max" and negative quotas are no limit. False: not understood. */
static bool parse_quota(const char *quota, const char *period, struct limit *limit)
{
    size_t of_quota = strcspn(quota, " \n"), of_period = strcspn(period, " \n");
    limit->period = 0;
    if (of_quota == 0 || of_period == 0 || quota[0] == '-' || strncmp(quota, "max", 3) == 0)
        return true;
    return parse(quota, of_quota, &limit->quota) && parse(period, of_period, &limit->period)
           && limit->period > 0;
}

static bool read_quota(char *folder, size_t length, bool version2, struct limit *limit)
{
    strcpy(folder + length, version2 ? "/cpu.max" : "/cpu.cfs_quota_us");
    char *quota = text_of(folder), *period = NULL;
    if (!version2) {
        strcpy(folder + length, "/cpu.cfs_period_us");
        period = text_of(folder);
    }
    const char *of_version2 = quota != NULL && strchr(quota, ' ') != NULL ? strchr(quota, ' ') + 1 : "";
    bool understood = parse_quota(quota != NULL ? quota : "",
                                  version2         ? of_version2
                                  : period != NULL ? period
                                                   : "",
                                  limit);
    free(quota);
    free(period);
    return understood;
}

__extension__ typedef unsigned __int128 product;

static bool is_tighter(const struct limit *one, const struct limit *other)
{
    return one->period != 0
           && (other->period == 0
               || (product)one->quota * other->period < (product)other->quota * one->period);
}

static void add_new(struct tc_throttled *throttled, int64_t now)
{
    int64_t more = now > throttled->last ? now - throttled->last : 0;
    throttled->sum = (throttled->sum > 0 ? throttled->sum : 0) + more;
    throttled->last = now;
}

/*
 * Earlier counts of another group are excluded: it did not throttle this process, or was not its tightest
 * limit.
 */
static void count(struct tc_throttling *throttling, const char *folder, const struct limit *limit)
{
    char *copy = NULL;
    if (throttling->tightest == NULL || strcmp(throttling->tightest, folder) != 0) {
        copy = strdup(folder);
        if (copy == NULL)
            return;
        if (throttling->tightest != NULL) {
            throttling->periods.last = limit->throttled_periods;
            throttling->ns.last = limit->throttled_ns;
        }
        free(throttling->tightest);
        throttling->tightest = copy;
    }
    add_new(&throttling->periods, limit->throttled_periods);
    add_new(&throttling->ns, limit->throttled_ns);
}

/* From the group up to its mount. False: not understood. */
static bool find_tightest(const struct tc_cgroup_place *place, char found[PATH_BYTES], struct limit *tightest)
{
    char folder[PATH_BYTES];
    size_t length = strlen(place->folder);
    memcpy(folder, place->folder, length + 1);
    for (;;) {
        struct limit limit = {.period = 0};
        strcpy(folder + length, "/cpu.stat");
        char *stat = text_of(folder); /* otherwise its throttling is unknown */
        bool understood = stat == NULL
                          || (parse_stat(stat, &limit)
                              && read_quota(folder, length, place->is_version2, &limit));
        folder[length] = '\0';
        if (understood && stat != NULL && (found[0] == '\0' || is_tighter(&limit, tightest))) {
            *tightest = limit;
            memcpy(found, folder, length + 1);
        }
        free(stat);
        if (!understood || length <= place->mount_length)
            return understood;
        while (folder[--length] != '/') {
        }
        folder[length] = '\0';
    }
}

/* Finds the places again if the process's groups have changed. False: that is not possible now. */
static bool find_places_again(struct tc_throttling *throttling)
{
    char *groups = text_of(throttling->groups_file);
    if (groups == NULL || (throttling->groups != NULL && strcmp(groups, throttling->groups) == 0)) {
        free(groups);
        return true;
    }
    char *mounts = text_of(throttling->mounts_file);
    struct tc_cgroup_place *places = mounts != NULL ? malloc(PLACES_MAX * sizeof *places) : NULL;
    if (places == NULL) {
        free(mounts);
        free(groups);
        return false;
    }
    free(throttling->places);
    free(throttling->groups);
    throttling->groups = groups;
    throttling->places = places;
    throttling->count = find_places(groups, mounts, throttling->of_another, places);
    free(mounts);
    return true;
}

void tc_throttling_read(struct tc_throttling *throttling)
{
    char found[PATH_BYTES] = "";
    struct limit tightest = {.period = 0};
    if (!find_places_again(throttling))
        return;
    for (size_t i = 0; i < throttling->count; i++)
        if (!find_tightest(&throttling->places[i], found, &tightest))
            return;
    if (found[0] != '\0')
        count(throttling, found, &tightest);
}

void tc_throttling_begin(struct tc_throttling *throttling, const char *groups_file, const char *mounts_file)
{
    *throttling = (struct tc_throttling){.groups_file = groups_file, .mounts_file = mounts_file,
                                         .periods = {0, -1}, .ns = {0, -1}};
}

void tc_throttling_end(struct tc_throttling *throttling)
{
    free(throttling->groups);
    free(throttling->places);
    free(throttling->tightest);
}
