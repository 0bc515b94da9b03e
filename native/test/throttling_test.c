/* SPDX-License-Identifier: Apache-2.0 */
/* Throttling, read from simulated files of control groups. */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "throttling.h"

static char folder[64], groups_file[128], mounts_file[128];
static struct tc_throttling throttling;

static void path_of(char path[256], const char *file)
{
    snprintf(path, 256, "%s/%s", folder, file);
}

static void put(const char *file, const char *text)
{
    char path[256];
    path_of(path, file);
    for (char *end = strchr(path + strlen(folder) + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        *end = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *end = '/';
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void put_mount(const char *shown, const char *type, const char *options)
{
    char text[512];
    snprintf(text, sizeof text,
             "23 28 0:21 / /proc rw,nosuid - proc proc rw\n"
             "31 23 0:28 %s %s rw,relatime shared:9 - %s cgroup %s\n",
             shown, folder, type, options);
    put("mounts", text);
}

static int begin(void **state)
{
    strcpy(folder, "/tmp/throttling-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(groups_file, sizeof groups_file, "%s/groups", folder);
    snprintf(mounts_file, sizeof mounts_file, "%s/mounts", folder);
    put_mount("/", "cgroup2", "rw");
    tc_throttling_begin(&throttling, groups_file, mounts_file);
    return 0;
}

static int end(void **state)
{
    char command[128];
    tc_throttling_end(&throttling);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

#define THROTTLING_TEST(name) TEST_WITH(name, begin, end)

static void put_in(const char *group, const char *file, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", group, file);
    put(path, text);
}

static void group(const char *name, const char *max, int throttled, int micros)
{
    char stat[128];
    snprintf(stat, sizeof stat, "usage_usec 1\nnr_periods 9\nnr_throttled %d\nthrottled_usec %d\n", throttled,
             micros);
    put_in(name, "cpu.max", max);
    put_in(name, "cpu.stat", stat);
}

static const char *const half = "50000 100000\n";

static void assert_read(int64_t periods, int64_t ns)
{
    tc_throttling_read(&throttling);
    assert_int_equal(throttling.periods.sum, periods);
    assert_int_equal(throttling.ns.sum, ns);
}

THROTTLING_TEST(is_unknown_without_files)
{
    assert_read(-1, -1);
}

THROTTLING_TEST(is_zero_without_a_limit)
{
    put("groups", "0::/app\n");
    put("app/cpu.max", "max 100000\n");
    put("app/cpu.stat", "usage_usec 5\n");
    assert_read(0, 0);
}

THROTTLING_TEST(follows)
{
    put("groups", "0::/app\n");
    group("app", half, 3, 40);
    assert_read(3, 40000);
    group("app", half, 5, 70);
    assert_read(5, 70000);
}

THROTTLING_TEST(after_a_move_only_new_throttling_of_the_other_group_counts)
{
    put("groups", "0::/app\n");
    group("app", half, 3, 40);
    group("elsewhere", half, 100, 1000);
    assert_read(3, 40000);
    put("groups", "0::/elsewhere\n");
    assert_read(3, 40000);
    group("elsewhere", half, 101, 1010);
    assert_read(4, 50000);
}

THROTTLING_TEST(once_an_outer_limit_is_tighter_only_its_new_throttling_counts)
{
    put("groups", "0::/above/app\n");
    group("above", "90000 100000\n", 100, 1000);
    group("above/app", half, 3, 40);
    assert_read(3, 40000);
    put("above/cpu.max", "10000 100000\n");
    assert_read(3, 40000);
    group("above", "10000 100000\n", 102, 1030);
    assert_read(5, 70000);
}

THROTTLING_TEST(a_failed_read_adds_nothing)
{
    char stat[256], away[256];
    path_of(stat, "app/cpu.stat");
    path_of(away, "mounts.away");
    put("groups", "0::/app\n");
    assert_int_equal(rename(mounts_file, away), 0);
    assert_read(-1, -1);
    assert_int_equal(rename(away, mounts_file), 0);
    group("app", half, 3, 40);
    assert_read(3, 40000);
    assert_int_equal(unlink(stat), 0);
    assert_read(3, 40000);
    group("app", half, 4, 50);
    assert_read(4, 50000);
}

THROTTLING_TEST(never_decreases)
{
    put("groups", "0::/app\n");
    group("app", half, 3, 40);
    tc_throttling_read(&throttling);
    group("app", half, 1, 10); /* created again under the same name */
    assert_read(3, 40000);
    put("app/cpu.stat", "nr_throttled many\n");
    assert_read(3, 40000);
}

THROTTLING_TEST(version_1_counts_where_it_has_the_cpu_controller)
{
    put("groups", "5:memory:/elsewhere\n4:cpu,cpuacct:/app\n0::/\n");
    put("app/cpu.cfs_quota_us", "150000\n");
    put("app/cpu.cfs_period_us", "100000\n");
    put("app/cpu.stat", "nr_periods 300\nnr_throttled 12\nthrottled_time 2500000000\n");
    put_mount("/", "cgroup", "rw,memory");
    assert_read(-1, -1);
    put("groups", "5:memory:/elsewhere\n4:cpu,cpuacct:/app\n0::/x\n"); /* so that the mounts are read again */
    put_mount("/", "cgroup", "rw,cpuset");
    assert_read(-1, -1);
    put("groups", "5:memory:/elsewhere\n4:cpu,cpuacct:/app\n0::/\n");
    put_mount("/", "cgroup", "rw,cpu,cpuacct");
    assert_read(12, INT64_C(2500000000));
    put("app/cpu.cfs_quota_us", "-1\n");
    put("app/cpu.stat", "nr_periods 300\nnr_throttled 13\nthrottled_time 2600000000\n");
    assert_read(13, INT64_C(2600000000));
}

/* In a container the mount may cover only part of the hierarchy. */
THROTTLING_TEST(the_top_of_the_mount_stands_for_a_group_that_cannot_be_seen)
{
    put("cpu.stat", "nr_throttled 3\nthrottled_usec 40\n");
    put_mount("/docker/abc", "cgroup2", "rw");
    put("groups", "0::/docker/abc\n");
    assert_read(3, 40000);
    put_mount("/", "cgroup2", "rw");
    put("groups", "0::/../../elsewhere\n");
    put("cpu.stat", "nr_throttled 4\nthrottled_usec 50\n");
    assert_read(4, 50000);
    put("groups", "0::/not/there\n");
    put("cpu.stat", "nr_throttled 5\nthrottled_usec 60\n");
    assert_read(5, 60000);
}

THROTTLING_TEST(text_that_is_not_understood_changes_nothing)
{
    static const char *const odd[] = {"x y", "100000 0", "1e5 100000", "99999999999999999999 100000"};
    put("groups", "0::/app\n");
    group("app", half, 3, 40);
    assert_read(3, 40000);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        group("app", odd[i], 9, 90);
        assert_read(3, 40000);
    }
}

/* The kernel gives a longer file in pieces. */
THROTTLING_TEST(long_files_are_read_whole)
{
    char *mounts = calloc(1, 200000), line[256];
    snprintf(line, sizeof line, "31 23 0:28 / %s rw,relatime - cgroup2 cgroup rw\n", folder);
    while (strlen(mounts) < 150000)
        strcat(mounts, "23 28 0:21 / /some/where/else/in/a/container rw,nosuid - overlay overlay rw\n");
    put("mounts", strcat(mounts, line));
    put("groups", "0::/app\n");
    group("app", half, 3, 40);
    assert_read(3, 40000);
    free(mounts);
}

/* The names above its own group are unknown in a namespace of control groups. */
THROTTLING_TEST(another_process_has_its_own_group_or_none)
{
    throttling.of_another = true;
    group(".", "1000 100000", 1, 1000);
    group("pods/a/own", "2000 100000", 2, 2000);
    group("pods/b/its", "1000 100000", 3, 3000);
    put("groups", "0::/../../b/its\n");
    tc_throttling_read(&throttling);
    assert_int_equal(throttling.periods.sum, -1); /* the mount does not show it */
    put_mount("/../../..", "cgroup2", "rw");
    put("groups", "0::/../../b/its\n\n");
    tc_throttling_read(&throttling);
    assert_int_equal(throttling.periods.sum, 3);
    group("system/b/its", "1000 100000", 9, 9000);
    throttling.periods.sum = -1;
    put("groups", "0::/../../b/its\n");
    tc_throttling_read(&throttling);
    assert_int_equal(throttling.periods.sum, -1); /* there are two of this path */
}

/* Without a namespace of control groups, a container's mount shows only its own group. */
THROTTLING_TEST(another_process_at_the_top_is_not_in_this_group)
{
    throttling.of_another = true;
    put_mount("/docker/own", "cgroup2", "rw");
    group(".", "1000 100000", 1, 1000);
    put("groups", "0::/\n");
    tc_throttling_read(&throttling);
    assert_int_equal(throttling.periods.sum, -1);
    put("groups", "0::/docker/own\n");
    tc_throttling_read(&throttling);
    assert_int_equal(throttling.periods.sum, 1);
}
