// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * ARM's self-test. An undefined instruction takes the CPU to the chosen
 * registers, and another one, with which the page is filled, back from wherever
 * the chosen instruction has led it: so no code stands between the instruction
 * and what is seen of it. The hook that catches both is the last that is asked.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <asm/ptrace.h>
#include <asm/thread_info.h>
#include <asm/traps.h>

#include "../native.h"
#include "../shim.h"

/* `udf #3` and `udf #4`. */
#define ENTER 0xe7f000f3
#define LEAVE 0xe7f000f4

/* Where in its page the instruction stands. */
#define SITE_OFFSET 2048

/* `push {r4, lr}`: what stands there first, since a function that is refused is not listed. */
#define FIRST 0xe92d4010

/* The part of a stack that a run sees, and where it is in the stack. */
#define STACK_SEEN 2048
#define STACK_OFFSET 5120

/* A stack must be where one could be: the kernel knows an overflow by a bit of its address. */
#define STACK_ORDER (THREAD_SIZE_ORDER + 1)

#define DATA_ORDER 2
#define DATA_SIZE (PAGE_SIZE << DATA_ORDER)

/* What the other side of the device needs to know. */
struct native_places {
	u32 site;
	u32 page;
	u32 stack;
	u32 stack_size;
	u32 data;
	u32 data_size;
};

/* What a run begins with, and ends with. */
struct native_run {
	u32 registers[16];
	u32 cpsr;
	u32 fpscr;
	u32 instruction;
	u32 reserved;
	u64 doubles[16];
	u8 stack[STACK_SEEN];
	u8 data[DATA_SIZE];
};

#define NATIVE_PLACES _IOR('N', 0, struct native_places)
#define NATIVE_PAGE _IOW('N', 1, u8[4096])
#define NATIVE_RUN _IO('N', 2)

static unsigned long page;
static void *stack, *data;
static typeof(&register_undef_hook) register_hook;
static typeof(&unregister_undef_hook) unregister_hook;

/* A run: where it has got to, what it is of, and where it began. One at a time. */
static enum { IDLE, ENTERS, RUNS } stage;
static struct native_run *running;
static struct pt_regs outside;
static DEFINE_MUTEX(one);

static void enter(struct pt_regs *regs)
{
	outside = *regs;
	memcpy(regs->uregs, running->registers, sizeof(running->registers));
	regs->ARM_cpsr = running->cpsr;
	stage = RUNS;
}

static void leave(struct pt_regs *regs, unsigned int instruction)
{
	memcpy(running->registers, regs->uregs, sizeof(running->registers));
	running->cpsr = regs->ARM_cpsr;
	running->instruction = instruction;
	*regs = outside;
	regs->ARM_pc += sizeof(u32);
	stage = IDLE;
}

static int caught(struct pt_regs *regs, unsigned int instruction)
{
	if (stage == ENTERS && instruction == ENTER)
		enter(regs);
	else if (stage == RUNS)
		leave(regs, instruction);
	else
		return 1;
	return 0;
}

static struct undef_hook hook = {
	.cpsr_mask = MODE_MASK | PSR_T_BIT,
	.cpsr_val = SVC_MODE,
	.fn = caught,
};

/* Floating point is off in the kernel, and nobody here uses it: no state of anybody's is there. */
static u32 floating_point(u32 on)
{
	u32 before;

	asm volatile(".fpu vfpv2\n\tvmrs %0, fpexc\n\tvmsr fpexc, %1"
		     : "=&r"(before) : "r"(on));
	return before;
}

static void load_doubles(const struct native_run *run)
{
	asm volatile(".fpu vfpv2\n\tvldmia %0, {d0-d15}\n\tvmsr fpscr, %1"
		     : : "r"(run->doubles), "r"(run->fpscr), "m"(run->doubles));
}

static void store_doubles(struct native_run *run)
{
	asm volatile(".fpu vfpv2\n\tvstmia %2, {d0-d15}\n\tvmrs %0, fpscr"
		     : "=r"(run->fpscr), "=m"(run->doubles) : "r"(run->doubles));
}

#define FLOATING_POINT_ON BIT(30)

static void execute(struct native_run *run)
{
	unsigned long flags;
	u32 before;

	local_irq_save(flags);
	memcpy(stack + STACK_OFFSET, run->stack, sizeof(run->stack));
	memcpy(data, run->data, sizeof(run->data));
	running = run;
	stage = ENTERS;
	before = floating_point(FLOATING_POINT_ON);
	load_doubles(run);
	asm volatile(".inst %c0" : : "i"(ENTER) : "memory");
	store_doubles(run);
	floating_point(before);
	memcpy(run->stack, stack + STACK_OFFSET, sizeof(run->stack));
	memcpy(run->data, data, sizeof(run->data));
	local_irq_restore(flags);
}

static long run(void __user *user)
{
	struct native_run *run = memdup_user(user, sizeof(*run));
	long error;

	if (IS_ERR(run))
		return PTR_ERR(run);
	mutex_lock(&one);
	execute(run);
	mutex_unlock(&one);
	error = copy_to_user(user, run, sizeof(*run)) ? -EFAULT : 0;
	kfree(run);
	return error;
}

static long fill_page(void __user *user)
{
	void *bytes = memdup_user(user, PAGE_SIZE);

	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	shim_code_write(page, bytes, PAGE_SIZE);
	shim_code_flush(page, PAGE_SIZE);
	kfree(bytes);
	return 0;
}

static long places(void __user *user)
{
	struct native_places places = {
		.site = trapline_native_site(),
		.page = page,
		.stack = (unsigned long)stack + STACK_OFFSET,
		.stack_size = STACK_SEEN,
		.data = (unsigned long)data,
		.data_size = DATA_SIZE,
	};

	return copy_to_user(user, &places, sizeof(places)) ? -EFAULT : 0;
}

static long request(struct file *file, unsigned int number, unsigned long argument)
{
	switch (number) {
	case NATIVE_PLACES:
		return places((void __user *)argument);
	case NATIVE_PAGE:
		return fill_page((void __user *)argument);
	case NATIVE_RUN:
		return run((void __user *)argument);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = request,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "trapline-native",
	.mode = 0600,
	.fops = &operations,
};

unsigned long trapline_native_site(void)
{
	return page + SITE_OFFSET;
}

void trapline_native_release(void)
{
	free_pages((unsigned long)data, DATA_ORDER);
	free_pages((unsigned long)stack, STACK_ORDER);
	if (page)
		shim_code_free(page);
}

int trapline_native_prepare(void)
{
	u32 first = FIRST;

	register_hook = (void *)trapline_symbol("register_undef_hook");
	unregister_hook = (void *)trapline_symbol("unregister_undef_hook");
	if (!register_hook || !unregister_hook)
		return -ENOENT;
	stack = (void *)__get_free_pages(GFP_KERNEL, STACK_ORDER);
	data = (void *)__get_free_pages(GFP_KERNEL, DATA_ORDER);
	page = shim_code_alloc();
	if (!stack || !data || !page) {
		trapline_native_release();
		return -ENOMEM;
	}
	shim_code_write(page + SITE_OFFSET, &first, sizeof(first));
	shim_code_flush(page + SITE_OFFSET, sizeof(first));
	return 0;
}

int trapline_native_init(void)
{
	int error;

	register_hook(&hook);
	error = misc_register(&device);
	if (error)
		unregister_hook(&hook);
	return error;
}

void trapline_native_exit(void)
{
	misc_deregister(&device);
	unregister_hook(&hook);
}
