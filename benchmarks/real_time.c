/*
 * A control loop around an exported law: how long its calls take, and what they ask of the system.
 *
 *   real_time time COUNT PERIOD   calls every PERIOD ns (0: at once); prints their times and what changed
 *   real_time alone COUNT         calls after which the kernel ends us at any system call but write
 *
 * A third word, "call", "allocate" or "touch", disturbs one call in the middle: with a system call, an
 * allocation, or memory that was never used. So one sees that it would be noticed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include HEADER

enum { STATES = 1024, MOST = 1000000 };

static double states[STATES][6 * N], tau[N], sum;
static unsigned times[MOST], late[MOST], idle[MOST];
static volatile char *untouched;
static void *volatile kept;

static long long now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t); /* of the vDSO: no system call */
  return 1000000000LL * t.tv_sec + t.tv_nsec;
}

static void law(int k)
{
  const double *x = states[k % STATES], t[1] = {1e-3 * k};
  LAW(t, x, x + N, x + 2 * N, x + 3 * N, x + 4 * N, tau);
  sum += tau[0];
}

/* Take about as long as the law and do nothing: what the machine alone adds. */
static void nothing(void)
{
  for (volatile int i = 0; i < 150; ++i) continue;
}

static void disturb(const char *what)
{
  if (!strcmp(what, "call")) syscall(SYS_getppid);
  if (!strcmp(what, "allocate")) kept = malloc(100);
  if (!strcmp(what, "touch")) untouched[0] = 1;
}

static int by_size(const void *a, const void *b)
{
  const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

static void quantiles(const char *name, unsigned *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, by_size);
  printf("\"%s\": [%u, %u, %u], ", name, values[count / 2],
         values[(int)(0.999 * (count - 1))], values[count - 1]);
}

static void loop(int count, long long period, const char *what)
{
  long long next = now();
  for (int k = 0; k < count; ++k) {
    if (period) {
      next += period;
      const struct timespec until = {next / 1000000000LL, next % 1000000000LL};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    const long long start = now();
    law(k);
    if (k == count / 2) disturb(what);
    const long long between = now();
    nothing();
    times[k] = (unsigned)(between - start);
    idle[k] = (unsigned)(now() - between);
    late[k] = period ? (unsigned)(start - next) : 0;
  }
}

static int timed(int count, long long period, const char *what)
{
  const struct sched_param first = {.sched_priority = 80};
  struct rusage before, after;
  struct mallinfo2 heap, later;
  untouched = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  free(malloc(1));
  const int locked = !mlockall(MCL_CURRENT); /* every page of the program is there from now on, */
  if (!strcmp(what, "touch")) munlock((void *)untouched, 4096), madvise((void *)untouched, 4096, MADV_DONTNEED);
  const int fifo = period && !sched_setscheduler(0, SCHED_FIFO, &first);
  loop(STATES, period ? 1000 : 0, ""); /* and every function is found */
  heap = mallinfo2();
  getrusage(RUSAGE_SELF, &before);
  loop(count, period, what);
  getrusage(RUSAGE_SELF, &after);
  later = mallinfo2();
  printf("{");
  quantiles("ns", times, count);
  quantiles("late", late, count);
  quantiles("idle", idle, count);
  printf("\"faults\": %ld, \"bytes\": %ld, \"locked\": %d, \"fifo\": %d, \"sum\": %g}\n",
         after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt,
         (long)(later.uordblks - heap.uordblks), locked, fifo, sum);
  return 0;
}

static int alone(int count, const char *what)
{
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) return 3;
  for (int k = 0; k < count; ++k) {
    law(k);
    if (k == count / 2) disturb(what);
  }
  const char *said = sum == sum ? "no system call\n" : "not a number\n";
  const long written = syscall(SYS_write, 1, said, strlen(said));
  syscall(SYS_exit, written < 0); /* exit() would ask for what is no longer allowed */
  return 0;
}

int main(int given, char **words)
{
  if (given < 3) return 2;
  const int count = atoi(words[2]) < MOST ? atoi(words[2]) : MOST;
  unsigned seed = 1;
  for (int k = 0; k < STATES * 6 * N; ++k) { /* states anywhere, angles up to 3 rad */
    seed = 1664525u * seed + 1013904223u;
    states[k / (6 * N)][k % (6 * N)] = 3.0 * ((double)seed / 2147483648.0 - 1.0);
  }
  if (!strcmp(words[1], "alone")) return alone(count, given > 3 ? words[3] : "");
  return timed(count, given > 3 ? atoll(words[3]) : 0, given > 4 ? words[4] : "");
}
