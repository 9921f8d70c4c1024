int x;
int size_t;
BEGIN { }
