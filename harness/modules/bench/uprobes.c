// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* A uprobe or uretprobe with an empty handler, for programs that measure themselves. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

#include "bench.h"
#include "uprobe-objects.h"

#define FRAMES "/sbin/trapline-frames"
#define MARKERS "/sbin/trapline-markers"

static struct file *program;

/* Since 6.13 handlers have one more parameter, the last, which these would not look at. */
static int handle(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	return 0;
}

static int handle_return(struct uprobe_consumer *consumer, unsigned long func, struct pt_regs *regs)
{
	return 0;
}

static struct uprobe_consumer consumer;

#ifdef HAS_UPROBE_OBJECTS
static struct uprobe *registered;

static int begin(loff_t offset)
{
	registered = uprobe_register(file_inode(program), offset, 0, &consumer);
	return PTR_ERR_OR_ZERO(registered);
}

static void end(void)
{
	uprobe_unregister_nosync(registered, &consumer);
	uprobe_unregister_sync();
}
#else
static loff_t place;

static int begin(loff_t offset)
{
	place = offset;
	return uprobe_register(file_inode(program), offset, &consumer);
}

static void end(void)
{
	uprobe_unregister(file_inode(program), place, &consumer);
}
#endif

static s64 probe(const char *path, unsigned long offset)
{
	int error;

	if (program)
		return -EBUSY;
	program = filp_open(path, O_RDONLY, 0);
	if (IS_ERR(program)) {
		error = PTR_ERR(program);
	} else {
		error = begin(offset);
		if (!error)
			return 0;
		filp_close(program, NULL);
	}
	program = NULL;
	return error;
}

s64 bench_uprobe(unsigned long offset)
{
	consumer = (struct uprobe_consumer){ .handler = (void *)handle };
	return probe(FRAMES, offset);
}

s64 bench_marker_uprobe(unsigned long offset)
{
	consumer = (struct uprobe_consumer){ .handler = (void *)handle };
	return probe(MARKERS, offset);
}

s64 bench_uretprobe(unsigned long offset)
{
	consumer = (struct uprobe_consumer){ .ret_handler = (void *)handle_return };
	return probe(FRAMES, offset);
}

s64 bench_no_uprobe(unsigned long unused)
{
	if (program) {
		end();
		filp_close(program, NULL);
		program = NULL;
	}
	return 0;
}
