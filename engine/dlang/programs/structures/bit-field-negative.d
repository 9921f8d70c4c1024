struct s { int a : -1; };
BEGIN { }
