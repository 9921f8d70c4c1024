/* A trap of the program's own. */

int main(void)
{
	__builtin_trap();
}
