#pragma D option quiet

typedef struct half {
	uint_t low;
	string name;
} half_t;

translator half_t < uintptr_t A > {
	low = A & 0xffff;
	name = "half";
};

/* args[] is in the order of what is behind the colon. */
provider profile {
	probe tick__1ms(uintptr_t kernel, uintptr_t user) :
	    (half_t *user, uint_t kernel, half_t *kernel);
};

profile:::tick-1ms
{
	printf("%d %d %d %s\n", args[0]->low == (arg1 & 0xffff), args[1] == (uint_t)arg0,
	    args[2]->low == (arg0 & 0xffff), args[2]->name);
	exit(0);
}
