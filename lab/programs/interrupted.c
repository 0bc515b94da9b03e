/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread's CPU time contains besides its own work: it repeats one piece of work, alone on its CPU and
 * while something takes the CPU from it:
 *
 *   stopped   the program asks on stderr for the machine to be stopped, as a hypervisor stops a processor
 *   calls     of another CPU, by membarrier(): hard interrupts
 *   packets   over the loopback, steered to this CPU, which handles them in softirqs
 *
 *   interrupted MILLISECONDS ROUNDS    as root; it changes the loopback of its network namespace
 *
 * Prints a JSON list of rounds, each an object with the ways that this machine allows, and for each of them
 * the pieces of work done, then in nanoseconds: elapsed time; the thread's total and user time; the CPU's
 * hard interrupts, softirqs and stolen time (from /proc/stat, in steps of 10 ms).
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loads.h"
#include "threadclock.h"

enum { BURST = 32, PIECE = 20000, USER_HZ_NS = 10 * NS_PER_MS };

static int64_t duration_ns;
static int thread_cpu;
static atomic_bool disturbing;
static volatile uint64_t result;

static void run_on(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    assert_in_any_thread(sched_setaffinity(0, sizeof set, &set) == 0);
}

/* A socket of the loopback that sends to itself and is never read: the kernel drops what does not fit. */
static int loopback(void)
{
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof self;
    int end = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_in_any_thread(ioctl(end, SIOCSIFFLAGS, &lo) == 0 &&
                         bind(end, (struct sockaddr *)&self, length) == 0 &&
                         getsockname(end, (struct sockaddr *)&self, &length) == 0 &&
                         connect(end, (struct sockaddr *)&self, length) == 0);
    return end;
}

/* For half of the time, so that the CPU keeps up: else the kernel leaves the work to a thread, ksoftirqd. */
static void *send_packets(void *unused)
{
    int end = loopback();
    run_on(0);
    while (disturbing) {
        int64_t began_ns = monotonic_ns();
        for (int i = 0; i < BURST; i++)
            send(end, "", 1, MSG_DONTWAIT);
        for (int64_t now_ns = monotonic_ns(), sent_ns = now_ns; now_ns < 2 * sent_ns - began_ns;)
            now_ns = monotonic_ns();
    }
    close(end);
    return unused;
}

static void *call_the_cpu(void *unused)
{
    enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 }; /* linux/membarrier.h */
    run_on(0);
    assert_in_any_thread(syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0);
    while (disturbing)
        syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0);
    return unused;
}

/* The kernel refuses a CPU with nohz_full (rps_cpumask_housekeeping, net/core/net-sysfs.c). */
static bool steer_packets(void)
{
    FILE *cpus = fopen("/sys/class/net/lo/queues/rx-0/rps_cpus", "we");
    bool written = cpus != NULL && fprintf(cpus, "%x\n", 1 << thread_cpu) > 0;
    return cpus != NULL && fclose(cpus) == 0 && written;
}

static void cpu_ns(long long ns[3])
{
    char line[512], name[16];
    FILE *stat = fopen("/proc/stat", "re");
    assert_in_any_thread(stat != NULL);
    snprintf(name, sizeof name, "cpu%d ", thread_cpu);
    while (fgets(line, sizeof line, stat) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            assert_in_any_thread(sscanf(line, "%*s%*s%*s%*s%*s%*s%lld%lld%lld", ns, ns + 1, ns + 2) == 3);
    fclose(stat);
    for (int i = 0; i < 3; i++)
        ns[i] *= USER_HZ_NS;
}

/* In a new thread, which has no ticks of earlier rounds. */
static void *work(void *unused)
{
    long long pieces = 0, before_ns[3], after_ns[3];
    struct threadclock_times first, last;
    run_on(thread_cpu);
    cpu_ns(before_ns);
    assert_in_any_thread(threadclock_times_now(&first) == 0);
    int64_t began_ns = monotonic_ns();
    for (; monotonic_ns() < began_ns + duration_ns; pieces++)
        for (uint64_t i = 0; i < PIECE; i++)
            result = result * 6364136223846793005u + i;
    int64_t elapsed_ns = monotonic_ns() - began_ns;
    assert_in_any_thread(threadclock_times_now(&last) == 0);
    cpu_ns(after_ns);
    printf("[%lld, %lld, %lld, %lld", pieces, (long long)elapsed_ns,
           (long long)(last.total_ns - first.total_ns), (long long)(last.user_ns - first.user_ns));
    for (int i = 0; i < 3; i++)
        printf(", %lld", after_ns[i] - before_ns[i]);
    printf("]");
    return unused;
}

static void *ask_for_a_stop(void *unused)
{
    sleep_ns(duration_ns / 4);
    fputs("<<<stop>>>\n", stderr);
    return unused;
}

static const struct way {
    const char *name;
    void *(*disturb)(void *);
} ways[] = {{"alone", NULL}, {"stopped", ask_for_a_stop}, {"calls", call_the_cpu}, {"packets", send_packets}};

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: interrupted MILLISECONDS ROUNDS\n");
        return 2;
    }
    duration_ns = atoll(argv[1]) * NS_PER_MS;
    thread_cpu = sysconf(_SC_NPROCESSORS_ONLN) > 1;
    size_t count = thread_cpu == 0 ? 2 : steer_packets() ? 4 : 3;
    for (int round = 0; round < atoi(argv[2]); round++) {
        for (const struct way *way = ways; way < ways + count; way++) {
            pthread_t disturber, worker;
            printf("%s\"%s\": ", way > ways ? ", " : round > 0 ? ", {" : "[{", way->name);
            disturbing = true;
            if (way->disturb != NULL)
                assert_in_any_thread(pthread_create(&disturber, NULL, way->disturb, NULL) == 0);
            assert_in_any_thread(pthread_create(&worker, NULL, work, NULL) == 0 &&
                                 pthread_join(worker, NULL) == 0);
            disturbing = false;
            if (way->disturb != NULL)
                assert_in_any_thread(pthread_join(disturber, NULL) == 0);
        }
        printf("}");
    }
    printf("]\n");
    return 0;
}
