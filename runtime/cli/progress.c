/* progress.c -- says on a terminal that long work is under way; in a pipe, nothing.
 * A thread of its own wakes once a second, because neither a translation nor a launch calls back.
 * Contract: docs/cli.md. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

struct cli_progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool done;
	const char *what;
};

static void *
tick(void *arg)
{
	cli_progress *p = arg;
	struct timespec at;
	unsigned seconds = 0;

	clock_gettime(CLOCK_REALTIME, &at);
	pthread_mutex_lock(&p->lock);
	while (!p->done) {
		at.tv_sec++;
		while (!p->done && pthread_cond_timedwait(&p->wake, &p->lock, &at) != ETIMEDOUT)
			;
		if (!p->done)
			fprintf(stderr, "\r%s ... %u s", p->what, ++seconds);
	}
	if (seconds)
		fprintf(stderr, "\r\033[K");
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

cli_progress *
cli_progress_start(cli *c, const char *what)
{
	if (!isatty(STDERR_FILENO))
		return NULL;
	cli_progress *p = arena_new(&c->A, cli_progress);
	p->what = what;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	return pthread_create(&p->thread, NULL, tick, p) ? NULL : p;
}

void
cli_progress_stop(cli_progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->done = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
}
