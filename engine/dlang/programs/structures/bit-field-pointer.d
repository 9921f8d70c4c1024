struct s { int *a : 3; };
BEGIN { }
