struct s { char a[40000]; char b[40000]; };
BEGIN { }
