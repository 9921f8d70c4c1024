int x;
typedef int x;
BEGIN { }
