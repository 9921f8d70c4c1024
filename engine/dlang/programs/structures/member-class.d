struct s { static int a; };
BEGIN { }
