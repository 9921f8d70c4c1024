struct s { int a : 3; };
struct s v;
BEGIN { this->p = (struct s *)alloca(8); trace(&this->p->a); }
