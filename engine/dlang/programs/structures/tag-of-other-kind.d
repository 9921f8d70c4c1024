struct s { int a; };
union s { int b; };
BEGIN { trace(offsetof(union s, a)); }
