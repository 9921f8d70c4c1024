#pragma D option quiet

typedef enum { NO, YES } answer_t;
answer_t a;
self answer_t b;

BEGIN
{
	a = YES;
	self->b = a ? NO : YES;
	printf("%d %d %d\n", a, self->b, (answer_t)7);
	exit(0);
}
