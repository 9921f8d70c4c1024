BEGIN { number = 3; }
typedef int number;
