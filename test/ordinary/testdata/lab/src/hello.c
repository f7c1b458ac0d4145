#include <stdio.h>
#include "part.h"

int main(void)
{
	printf("hello %d\n", part(21));
	return 0;
}
