struct s { int a; };
struct s v;
BEGIN { printf("%d", v); }
