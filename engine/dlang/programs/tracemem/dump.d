#pragma D option quiet

BEGIN
{
	this->memory = (char *)alloca(20);
	bcopy("Trapline traces.", this->memory, 16);
	this->memory[18] = 127;
	tracemem(this->memory, 20);
	tracemem(this->memory, 20, 8);
	tracemem(this->memory, 20, 100);
	tracemem(this->memory, 20, -1);
	tracemem((uintptr_t)this->memory, 4);
	exit(0);
}
