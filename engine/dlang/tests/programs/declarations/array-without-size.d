int a[];
BEGIN { }
