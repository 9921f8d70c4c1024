int f(int, void);
BEGIN { }
