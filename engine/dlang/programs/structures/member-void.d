struct s { void m; };
BEGIN { }
