struct s { int a; union { int b; int a; }; };
BEGIN { }
