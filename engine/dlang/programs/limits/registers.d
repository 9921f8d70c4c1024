BEGIN
{
	trace(pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid + (pid)))))))))))))))));
}
