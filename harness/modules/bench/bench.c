// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Measures the cost of the kernel's own probes. Writing "NAME ARGUMENT" to
 * /proc/trapline-bench takes one measurement, and reading returns its result.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bench.h"

static const struct {
	const char *name;
	s64 (*take)(unsigned long argument);
} measures[] = {
	{ "calls", bench_calls },
	{ "kprobe", bench_kprobe },
	{ "settled-kprobe", bench_settled_kprobe },
	{ "body-kprobe", bench_body_kprobe },
	{ "kretprobe", bench_kretprobe },
	{ "trap", bench_trap },
	{ "arm", bench_arm },
	{ "disarm", bench_disarm },
	{ "uprobe", bench_uprobe },
	{ "marker-uprobe", bench_marker_uprobe },
	{ "uretprobe", bench_uretprobe },
	{ "no-uprobe", bench_no_uprobe },
};

static s64 result;

static ssize_t take(const char *name, unsigned long argument, size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(measures); i++) {
		if (strcmp(measures[i].name, name))
			continue;
		result = measures[i].take(argument);
		return result < 0 ? result : size;
	}
	return -ENOENT;
}

static ssize_t bench_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	char line[64], name[32];
	unsigned long argument = 0;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, text, size))
		return -EFAULT;
	line[size] = 0;
	if (sscanf(line, "%31s %lu", name, &argument) < 1)
		return -EINVAL;
	return take(name, argument, size);
}

static int bench_show(struct seq_file *file, void *unused)
{
	seq_printf(file, "%lld\n", result);
	return 0;
}

static int bench_open(struct inode *inode, struct file *file)
{
	return single_open(file, bench_show, NULL);
}

static const struct proc_ops bench_ops = {
	.proc_open = bench_open,
	.proc_read = seq_read,
	.proc_write = bench_write,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init bench_begin(void)
{
	int error = bench_trap_init();

	if (error)
		return error;
	if (proc_create("trapline-bench", 0600, NULL, &bench_ops))
		return 0;
	bench_trap_exit();
	return -ENOMEM;
}

static void __exit bench_end(void)
{
	remove_proc_entry("trapline-bench", NULL);
	bench_disarm(0);
	bench_no_uprobe(0);
	bench_trap_exit();
}

module_init(bench_begin);
module_exit(bench_end);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Cost of the kernel's own probes");
