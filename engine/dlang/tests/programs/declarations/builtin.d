int pid;
BEGIN { }
