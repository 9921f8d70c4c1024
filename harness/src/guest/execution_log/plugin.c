/*
 * A plugin for QEMU that records which instructions in a range of addresses are executed, in order.
 *
 * Only these instructions are instrumented, so the rest of the guest is as fast as without it. The
 * record is in a file that is mapped, so that the harness can switch it, and read it at any time:
 * nothing is buffered here.
 *
 * An instruction in an IT block of Thumb code is recorded with its arm, since a trap there may not
 * be taken if the condition fails. An exclusive store of ARM's is recorded as such, since it may fail
 * in one run and not in another.
 *
 * Debian's package of QEMU has no header for plugins, so what is used of it is declared here.
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum registers { NO_REGISTERS };
/* What is used of qemu_info_t. */
struct info {
	const char *target;
};

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*translated)(plugin_id, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
#if COPIES_DATA
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction, void *bytes, size_t length);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
#endif
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
					    void (*executed)(unsigned int cpu, void *data),
					    enum registers registers, void *data);

/* The version of QEMU's interface. */
EXPORT int qemu_plugin_version = PLUGIN_VERSION;

/* The file. Its layout is known to execution_log.rs. */
struct record {
	uint64_t is_on;
	/* How many were executed; only as many as there is space for are in `offsets`. */
	uint64_t count;
	/* From the range's start, with the mark. */
	uint32_t offsets[];
};

/* The arm of an IT block that an instruction is in, or what else it is. */
enum mark { NO_MARK = 0, THEN = 1U << 30, ELSE = 1U << 31, EXCLUSIVE_STORE = THEN | ELSE };

static struct record *record;
static uint64_t space;
static uint64_t start, end;
static int is_arm, is_arm64;

/*
 * The rest of an IT block: where it goes on, and its conditions' lowest bits, as in the mask of IT,
 * which ends with a set bit. A block may be translated in parts.
 */
static struct {
	uint64_t next;
	unsigned int mask, then;
} rest;

/* The `index`th halfword. */
static uint32_t halfword(const struct qemu_plugin_insn *instruction, size_t index)
{
	unsigned char bytes[4];

#if COPIES_DATA
	qemu_plugin_insn_data(instruction, bytes, sizeof(bytes));
#else
	memcpy(bytes, qemu_plugin_insn_data(instruction), 2 * (index + 1));
#endif
	return bytes[2 * index] | bytes[2 * index + 1] << 8;
}

/*
 * DDI 0487, "Load/store exclusive register"; DDI 0406C, A5.2.10 for ARM code and A6.3.6 for Thumb.
 * These two are not told apart. Of a loop around another instruction that looks like one, the harness
 * compares one round.
 */
static int is_exclusive_store(const struct qemu_plugin_insn *instruction)
{
	uint32_t first, word;

	if (qemu_plugin_insn_size(instruction) != 4)
		return 0;
	first = halfword(instruction, 0);
	word = first | halfword(instruction, 1) << 16;
	if (is_arm64)
		return (word & 0x3fc00000) == 0x08000000;
	return (word & 0x0f900ef0) == 0x01800e90 || (first & 0xfff0) == 0xe840 ||
	       ((first & 0xfff0) == 0xe8c0 && word & 1U << 22);
}

/* The arm of an instruction, whose predecessor in the program was the last that this was asked of. */
static enum mark arm_of(const struct qemu_plugin_insn *instruction, uint64_t address)
{
	size_t size = qemu_plugin_insn_size(instruction);
	unsigned int it;

	if (rest.mask && rest.next == address) {
		enum mark arm = (rest.mask >> 4 & 1) == rest.then ? THEN : ELSE;

		rest.next += size;
		rest.mask = rest.mask << 1 & 0x1f;
		if (!(rest.mask & 0xf))
			rest.mask = 0;
		return arm;
	}
	rest.mask = 0;
	if (size != 2)
		return NO_MARK;
	it = halfword(instruction, 0);
	if ((it & 0xff00) == 0xbf00 && it & 0xf) {
		rest.next = address + size;
		rest.mask = it & 0x1f;
		rest.then = it >> 4 & 1;
	}
	return NO_MARK;
}

static void executed(unsigned int cpu, void *offset)
{
	uint64_t place;

	(void)cpu;
	if (!__atomic_load_n(&record->is_on, __ATOMIC_ACQUIRE))
		return;
	/* A process may go on on another CPU, which is another thread of QEMU's. */
	place = __atomic_fetch_add(&record->count, 1, __ATOMIC_ACQ_REL);
	if (place < space)
		record->offsets[place] = (uint32_t)(uintptr_t)offset;
}

static void translated(plugin_id id, struct qemu_plugin_tb *block)
{
	size_t index, count = qemu_plugin_tb_n_insns(block);

	(void)id;
	for (index = 0; index < count; index++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, index);
		uint64_t address = qemu_plugin_insn_vaddr(instruction);

		if (start <= address && address < end) {
			enum mark mark = is_arm ? arm_of(instruction, address) : NO_MARK;

			if (mark == NO_MARK && is_arm && is_exclusive_store(instruction))
				mark = EXCLUSIVE_STORE;

			qemu_plugin_register_vcpu_insn_exec_cb(instruction, executed, NO_REGISTERS,
							       (void *)(uintptr_t)((address - start) | mark));
		}
	}
}

/* Opens the file of the harness, which has given it its size. */
static int open_record(const char *path)
{
	struct stat status;
	int file = open(path, O_RDWR | O_CLOEXEC);

	if (file < 0 || fstat(file, &status) || (size_t)status.st_size < sizeof(*record))
		return -1;
	record = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	space = (status.st_size - sizeof(*record)) / sizeof(record->offsets[0]);
	return record == MAP_FAILED ? -1 : 0;
}

EXPORT int qemu_plugin_install(plugin_id id, const struct info *info, int argc, char **argv)
{
	const char *path = NULL;
	int index;

	is_arm = !strcmp(info->target, "arm") || !strcmp(info->target, "aarch64");
	is_arm64 = !strcmp(info->target, "aarch64");
	for (index = 0; index < argc; index++) {
		char *value = strchr(argv[index], '=');

		if (!value)
			return -1;
		*value++ = '\0';
		if (!strcmp(argv[index], "start"))
			start = strtoull(value, NULL, 0);
		else if (!strcmp(argv[index], "end"))
			end = strtoull(value, NULL, 0);
		else if (!strcmp(argv[index], "record"))
			path = value;
	}
	if (!path || open_record(path)) {
		perror("record");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
