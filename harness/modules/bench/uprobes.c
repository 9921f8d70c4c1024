// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* A uprobe or uretprobe with an empty handler, for programs that measure themselves. */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/uprobes.h>

#include "bench.h"

#define PROGRAM "/sbin/trapline-frames"

static struct file *program;
static loff_t place;

static int handle(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	return 0;
}

static int handle_return(struct uprobe_consumer *consumer, unsigned long func, struct pt_regs *regs)
{
	return 0;
}

static struct uprobe_consumer consumer;

static s64 probe(unsigned long offset)
{
	int error;

	if (program)
		return -EBUSY;
	program = filp_open(PROGRAM, O_RDONLY, 0);
	if (IS_ERR(program)) {
		error = PTR_ERR(program);
	} else {
		error = uprobe_register(file_inode(program), offset, &consumer);
		if (!error) {
			place = offset;
			return 0;
		}
		filp_close(program, NULL);
	}
	program = NULL;
	return error;
}

s64 bench_uprobe(unsigned long offset)
{
	consumer = (struct uprobe_consumer){ .handler = handle };
	return probe(offset);
}

s64 bench_uretprobe(unsigned long offset)
{
	consumer = (struct uprobe_consumer){ .ret_handler = handle_return };
	return probe(offset);
}

s64 bench_no_uprobe(unsigned long unused)
{
	if (program) {
		uprobe_unregister(file_inode(program), place, &consumer);
		filp_close(program, NULL);
		program = NULL;
	}
	return 0;
}
