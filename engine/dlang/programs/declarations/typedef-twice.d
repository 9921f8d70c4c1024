typedef int x_t;
typedef int x_t;
BEGIN { }
