// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * /proc/dtrace/: a header line, then a line per row. Reading needs CAP_SYS_ADMIN, like
 * tracing, since each row takes the control lock. Addresses are shown as 0 to whoever
 * sees 0 in /proc/kallsyms, by the credentials of the opener.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "internal.h"
#include "trapline.h"
#include "unexported.h"

union row {
	struct trapline_fbt_row fbt;
	struct trapline_refused_row refused;
	struct trapline_syscall_row syscall;
	struct trapline_fasttrap_row fasttrap;
	struct trapline_stats_row stats;
};

struct table {
	const char *name;
	const char *columns;
	int (*fetch)(size_t index, union row *row);
	void (*print)(struct seq_file *file, const union row *row);
};

/* The state of an open file. */
struct reader {
	union row row;
	bool sees_addresses;
};

UNEXPORTED(kallsyms_show_value);

static u64 seen(struct seq_file *file, u64 address)
{
	const struct reader *reader = file->private;

	return reader->sees_addresses ? address : 0;
}

/* Names of a process's symbols are its own choice: none may look like more than a column. */
static void put_name(struct seq_file *file, const char *name)
{
	seq_escape(file, name, " \t\n\\");
	seq_putc(file, ' ');
}

static int fbt_fetch(size_t index, union row *row)
{
	return trapline_fbt_row(index, &row->fbt);
}

static void fbt_print(struct seq_file *file, const union row *row)
{
	seq_printf(file, "%u %08llx %s %s %s %u %u %llu %s %s\n", row->fbt.id,
		   seen(file, row->fbt.address), row->fbt.module, row->fbt.function,
		   row->fbt.name, row->fbt.ecbs, row->fbt.armed, row->fbt.hits,
		   row->fbt.instruction, row->fbt.plan);
}

static int refused_fetch(size_t index, union row *row)
{
	return trapline_refused_row(index, &row->refused);
}

static void refused_print(struct seq_file *file, const union row *row)
{
	const struct trapline_refused_row *it = &row->refused;

	seq_printf(file, "%08llx ", seen(file, it->address));
	if (it->process)
		seq_printf(file, "pid%lu:", it->process);
	put_name(file, it->module);
	put_name(file, it->function);
	put_name(file, it->name);
	seq_printf(file, "%s %s\n", it->word, it->sentence);
}

static int toxic_fetch(size_t index, union row *row)
{
	return trapline_toxic_row(index, &row->refused);
}

static int syscall_fetch(size_t index, union row *row)
{
	return trapline_syscall_row(index, &row->syscall);
}

static void syscall_print(struct seq_file *file, const union row *row)
{
	seq_printf(file, "%u %u %s %s %s %u %u\n", row->syscall.id, row->syscall.number,
		   row->syscall.module, row->syscall.function, row->syscall.name,
		   row->syscall.ecbs, row->syscall.armed);
}

static int fasttrap_fetch(size_t index, union row *row)
{
	return trapline_fasttrap_row(index, &row->fasttrap);
}

static void fasttrap_print(struct seq_file *file, const union row *row)
{
	const struct trapline_fasttrap_row *it = &row->fasttrap;

	seq_printf(file, "%u %08llx ", it->process, seen(file, it->address));
	put_name(file, it->module);
	put_name(file, it->function);
	seq_printf(file, "%x %u %u %llu %s %s\n", it->offset, it->ecbs, it->armed, it->hits,
		   it->instruction, it->plan);
}

static int stats_fetch(size_t index, union row *row)
{
	return trapline_stats_row(index, &row->stats);
}

static void stats_print(struct seq_file *file, const union row *row)
{
	seq_printf(file, "%s %llu\n", row->stats.name, row->stats.value);
}

static struct table tables[] = {
	{ "fbt", "ID ADDRESS MODULE FUNCTION NAME ECBS ARMED HITS INSTRUCTION PLAN",
	  fbt_fetch, fbt_print },
	{ "refused", "ADDRESS MODULE FUNCTION NAME WHY SENTENCE", refused_fetch, refused_print },
	{ "toxic", "ADDRESS MODULE FUNCTION NAME WHY SENTENCE", toxic_fetch, refused_print },
	{ "syscall", "ID NUMBER MODULE FUNCTION NAME ECBS ARMED", syscall_fetch, syscall_print },
	{ "fasttrap", "PID ADDRESS MODULE FUNCTION OFFSET ECBS ARMED HITS INSTRUCTION PLAN",
	  fasttrap_fetch, fasttrap_print },
	{ "stats", "NAME VALUE", stats_fetch, stats_print },
};

static const struct table *table_of(struct seq_file *file)
{
	return pde_data(file_inode(file->file));
}

/*
 * Position 0 is the header; position n is row n - 1, or the next row after a gap there.
 * No lock is held between rows.
 */
static void *table_start(struct seq_file *file, loff_t *position)
{
	struct reader *reader = file->private;
	int there;

	if (*position == 0)
		return SEQ_START_TOKEN;
	while ((there = table_of(file)->fetch(*position - 1, &reader->row)) == TRAPLINE_ROW_GAP) {
		++*position;
		cond_resched();
	}
	return there == TRAPLINE_ROW ? &reader->row : NULL;
}

static void *table_next(struct seq_file *file, void *row, loff_t *position)
{
	++*position;
	return table_start(file, position);
}

static void table_stop(struct seq_file *file, void *row)
{
}

static int table_show(struct seq_file *file, void *row)
{
	if (row == SEQ_START_TOKEN)
		seq_printf(file, "%s\n", table_of(file)->columns);
	else
		table_of(file)->print(file, row);
	return 0;
}

static const struct seq_operations table_operations = {
	.start = table_start,
	.next = table_next,
	.stop = table_stop,
	.show = table_show,
};

static int table_open(struct inode *inode, struct file *file)
{
	struct reader *reader;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	reader = __seq_open_private(file, &table_operations, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->sees_addresses = tl_unexported(kallsyms_show_value)(file->f_cred);
	return 0;
}

static const struct proc_ops operations = {
	.proc_open = table_open,
	.proc_read_iter = seq_read_iter,
	.proc_lseek = seq_lseek,
	.proc_release = seq_release_private,
};

static struct proc_dir_entry *root;

void tl_proc_exit(void)
{
	proc_remove(root);
}

int tl_proc_init(void)
{
	size_t i;

	if (!tl_resolve(kallsyms_show_value))
		return -ENOENT;
	root = proc_mkdir("dtrace", NULL);
	if (!root)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (!proc_create_data(tables[i].name, 0400, root, &operations, &tables[i])) {
			tl_proc_exit();
			return -ENOMEM;
		}
	}
	return 0;
}
