int (*a)[];
BEGIN { }
