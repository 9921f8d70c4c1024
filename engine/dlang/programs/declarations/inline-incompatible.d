inline int k = "x";
BEGIN { }
