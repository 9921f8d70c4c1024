struct named { char name[8]; };
struct shown { char text[16]; };
translator struct shown < struct named *p > { text = p->name; };
BEGIN { this->s = xlate <struct shown> ((struct named *)0); }
