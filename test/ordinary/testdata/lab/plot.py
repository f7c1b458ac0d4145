import csv
rows = list(csv.DictReader(open('data.csv')))
print(len(rows), 'rows')
