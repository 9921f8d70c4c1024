// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * Functions to trace, which together return in every way that a function can.
 * Writing "NAME ARGUMENT TIMES" to /proc/trapline-shapes calls one; reading
 * returns its last result.
 */
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "shapes.h"

typedef unsigned long shape_fn(unsigned long argument);

#define DECLARE(name) shape_fn shape_##name;
SHAPES(DECLARE)

static const struct shape {
	const char *name;
	shape_fn *call;
} shapes[] = {
#define ROW(name) { #name, shape_##name },
	SHAPES(ROW)
};

static unsigned long result;

noinline unsigned long shape_value(unsigned long argument)
{
	return 2 * argument + 1;
}

shape_fn shape_mark;
noinline unsigned long shape_mark(unsigned long argument)
{
	barrier();
	return argument;
}

/* Interrupts are disabled, so anything traced between the two calls is the tracer's own. */
unsigned long shape_marks(unsigned long argument)
{
	unsigned long flags;

	local_irq_save(flags);
	shape_mark(argument);
	shape_mark(argument);
	local_irq_restore(flags);
	return argument;
}

unsigned long shape_deep(unsigned long argument)
{
	unsigned long left = current_stack_pointer - (unsigned long)end_of_stack(current);

	if (left <= argument)
		return shape_mark(left);
	left = shape_deep(argument);
	barrier();
	return left;
}

static DEFINE_STATIC_KEY_FALSE(shape_key);

#ifdef CONFIG_ARM64
#define BARE __attribute__((target("branch-protection=none")))
#else
#define BARE
#endif

/* Starts with an instruction that the kernel patches when the key is switched. Never called. */
static __used notrace noinline BARE bool shape_switched(void)
{
	return static_branch_unlikely(&shape_key);
}

static const struct shape *find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	return NULL;
}

static ssize_t shapes_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	char line[64], name[32];
	unsigned long argument, times;
	const struct shape *shape;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, text, size))
		return -EFAULT;
	line[size] = 0;
	if (sscanf(line, "%31s %lu %lu", name, &argument, &times) != 3)
		return -EINVAL;
	shape = find(name);
	if (!shape)
		return -ENOENT;
	while (times--)
		result = shape->call(argument);
	return size;
}

static int shapes_show(struct seq_file *file, void *unused)
{
	seq_printf(file, "%lu\n", result);
	return 0;
}

static int shapes_open(struct inode *inode, struct file *file)
{
	return single_open(file, shapes_show, NULL);
}

static const struct proc_ops shapes_ops = {
	.proc_open = shapes_open,
	.proc_read = seq_read,
	.proc_write = shapes_write,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init shapes_begin(void)
{
	return proc_create("trapline-shapes", 0600, NULL, &shapes_ops) ? 0 : -ENOMEM;
}

static void __exit shapes_end(void)
{
	remove_proc_entry("trapline-shapes", NULL);
}

module_init(shapes_begin);
module_exit(shapes_end);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Functions with every kind of exit");
