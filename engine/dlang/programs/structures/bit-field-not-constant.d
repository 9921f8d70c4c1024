int n;
struct s { int a : n; };
BEGIN { }
