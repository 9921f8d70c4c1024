struct s { int a; };
struct t { int a; };
BEGIN { this->p = (struct s *)0; this->p = (struct t *)0; }
