struct s { int; };
BEGIN { }
