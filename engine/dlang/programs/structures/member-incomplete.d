struct s { struct nowhere m; };
BEGIN { }
