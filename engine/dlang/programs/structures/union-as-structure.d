struct s { int a; };
BEGIN { trace(sizeof (union s)); }
