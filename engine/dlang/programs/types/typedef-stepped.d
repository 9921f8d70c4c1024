typedef int number;
BEGIN { number++; }
