typedef int number;
BEGIN { number[1] = 3; }
