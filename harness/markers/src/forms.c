/*
 * A probe for each form that an operand can have. Their notes are written here
 * and not by the header, with constraints that leave the compiler no choice.
 */

#include "arch/here.h"
#include "say.h"
#include "trapline.h"

#define NOINLINE __attribute__((noinline, noclone))

/* A site with one argument; the value is read again behind it. */
#define FORM(name, note, constraint, value) \
	do { \
		__asm__ __volatile__(_TRAPLINE_NOTE("trapline", "form__" name, "0", note) \
		    : : constraint(value)); \
		SAY("form__" name, (int64_t)(value)); \
	} while (0)

struct object {
	int64_t first;
	int number;
	uint16_t half;
	int8_t byte;
};

static volatile int64_t seed = 0x1122334455667788;
static int of_file = -41;
static struct object whole = { 1, -42, 0xfff3, -44 };
int visible = 45;

static void constants(void)
{
	FORM("constant", "-4@%0", "n", -5);
	FORM("constant__byte", "1@%0", "n", 200);
	FORM("constant__long", "-8@%0", "n", -6000000000);
}

/* Each size, in whatever register. */
static NOINLINE void registers(int64_t value)
{
	FORM("register__s1", "-1@%0", "r", (int8_t)(value + 0x11));
	FORM("register__u1", "1@%0", "r", (uint8_t)(value + 0x11));
	FORM("register__s2", "-2@%0", "r", (int16_t)(value + 0x1122));
	FORM("register__u2", "2@%0", "r", (uint16_t)(value + 0x1122));
	FORM("register__s4", "-4@%0", "r", (int32_t)(value + 0x44332211));
	FORM("register__u4", "4@%0", "r", (uint32_t)(value + 0x44332211));
	FORM("register__s8", "-8@%0", "r", -value);
	FORM("register__u8", "8@%0", "r", (uint64_t)value);
}

/* On the stack. */
static NOINLINE void locals(int64_t value)
{
	volatile struct object object = { value, (int)-value, (uint16_t)value, (int8_t)-value };

	FORM("local__s8", "-8@%0", "m", object.first);
	FORM("local__s4", "-4@%0", "m", object.number);
	FORM("local__u2", "2@%0", "m", object.half);
	FORM("local__s1", "-1@%0", "m", object.byte);
}

/*
 * In memory: a function for each, which reads nothing else there. Otherwise a
 * compiler computes the address once, and the operand is a register with it.
 */
#define IN_MEMORY(name, note, place, ...) \
	static NOINLINE void at_##name(int64_t value, ##__VA_ARGS__) \
	{ \
		__asm__ __volatile__(_TRAPLINE_NOTE("trapline", "form__" #name, "0", note) \
		    : : "m"(place)); \
		SAY("form__" #name, value); \
	}

IN_MEMORY(base, "-8@%0", object->first, const struct object *object)
IN_MEMORY(base__plus, "-4@%0", object->number, const struct object *object)
IN_MEMORY(base__minus, "-4@%0", row[-1], const int *row)
IN_MEMORY(index, "-4@%0", row[index], const int *row, long index)
IN_MEMORY(index__int, "-4@%0", row[index], const int *row, int index)
IN_MEMORY(index__unsigned, "-4@%0", row[index], const int *row, unsigned index)
IN_MEMORY(index__bytes, "1@%0", row[index], const uint8_t *row, long index)
IN_MEMORY(index__long, "-8@%0", row[index], const int64_t *row, long index)
IN_MEMORY(index__plus, "-4@%0", row[index + 1], const int *row, long index)
IN_MEMORY(variable, "-4@%0", of_file)
IN_MEMORY(variable__global, "-4@%0", visible)
IN_MEMORY(variable__plus, "-4@%0", whole.number)
IN_MEMORY(variable__u2, "2@%0", whole.half)
IN_MEMORY(variable__s1, "-1@%0", whole.byte)

static void memory(long two)
{
	static const int row[] = { 10, -20, 31518, -40, 50, 60 };
	static const int64_t wide[] = { 1, -2, -3000000000 };

	at_base(whole.first, &whole);
	at_base__plus(whole.number, &whole);
	at_base__minus(row[1], row + 2);
	at_index(row[2], row, two);
	at_index__int(row[1], row + 3, (int)-two);
	at_index__unsigned(row[2], row, (unsigned)two);
	at_index__bytes(123, (const uint8_t *)(row + 1) + 3, two);
	at_index__long(wide[2], wide, two);
	at_index__plus(row[3], row, two);
	at_variable(of_file);
	at_variable__global(visible);
	at_variable__plus(whole.number);
	at_variable__u2(whole.half);
	at_variable__s1(whole.byte);
}

/* Each register that the architecture's list has. */
#define IN_REGISTER(name, note) \
	static NOINLINE void in_##name(long value) \
	{ \
		register long in_it __asm__(#name); \
		__asm__("" : "=r"(in_it) : "0"(value)); \
		__asm__ __volatile__(_TRAPLINE_NOTE("trapline", "form__in__" #name, "0", note) \
		    : : "r"(in_it)); \
		SAY("form__in__" #name, value); \
	}
REGISTERS(IN_REGISTER)

#define CALL_REGISTER(name, note) in_##name(++value);

void markers_forms(void)
{
	int64_t from = seed;
	long value = 1000;

	constants();
	registers(from);
	locals(from);
	memory((long)(from & 1) + 2);
	REGISTERS(CALL_REGISTER)
	only_here(from);
}
