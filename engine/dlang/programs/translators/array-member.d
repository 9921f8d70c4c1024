#pragma D option quiet

struct named { char name[8]; int n; };
struct shown { char text[16]; int n; };

translator struct shown < struct named *p > { text = p->name; n = p->n; };

BEGIN
{
	this->p = (struct named *)alloca(sizeof (struct named));
	bcopy("abc", this->p->name, 4);
	printf("[%s] %d\n", xlate <struct shown *> (this->p)->text, 
	    xlate <struct shown *> (this->p)->text == "abc");
	exit(0);
}
