typedef int number;
BEGIN { trace(number); }
